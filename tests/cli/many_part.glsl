float part(float scale) {
    return scale * FACTOR;
}
