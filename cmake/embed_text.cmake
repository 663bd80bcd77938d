# Writes OUTPUT, a C file that holds the text of FILES (named relative to BASE) as array SYMBOL.
set(bodies "")
set(rows "")
set(index 0)
foreach(file IN LISTS FILES)
    file(RELATIVE_PATH name "${BASE}" "${file}")
    file(READ "${file}" hex HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
    string(REGEX REPLACE "(................................................................................)" "\\1\n"
           bytes "${bytes}")
    string(APPEND bodies "static const unsigned char text_${index}[] = {\n${bytes}0};\n")
    string(APPEND rows "    {\"${name}\", text_${index}, sizeof text_${index} - 1},\n")
    math(EXPR index "${index} + 1")
endforeach()
file(WRITE "${OUTPUT}" "#include \"${HEADER}\"\n${bodies}
const isg_embedded_file ${SYMBOL}[] = {\n${rows}    {0},\n};\n")
