# tessera_embed_headers(TARGET NAME=FILE ...): compiles header texts into TARGET as the table that gpu/jit/headers.h
# declares, so that the program can compile kernels at run time without its sources beside it. NAME is how the header is
# included. The same file is the script that writes the C++ when the build runs.
if(CMAKE_SCRIPT_MODE_FILE)
    set(rows "")
    foreach(pair IN LISTS HEADERS)
        string(REGEX MATCH "^([^=]+)=(.+)$" matched "${pair}")
        set(name "${CMAKE_MATCH_1}")
        set(file "${CMAKE_MATCH_2}")
        file(READ "${file}" text)
        string(FIND "${text}" ")embedded\"" clash)
        if(NOT clash EQUAL -1)
            message(FATAL_ERROR "${file} holds the text that would end its C++ literal")
        endif()
        string(APPEND rows "    {\"${name}\", R\"embedded(${text})embedded\"},\n")
    endforeach()
    file(WRITE "${OUTPUT}" "#include \"gpu/jit/headers.h\"\n\nnamespace tessera::jit {\n\n"
        "namespace {\n\nconstexpr EmbeddedHeader table[] = {\n${rows}};\n\n} // namespace\n\n"
        "std::span<const EmbeddedHeader> embeddedHeaders() { return table; }\n\n} // namespace tessera::jit\n")
    return()
endif()

set(TESSERA_EMBED_HEADERS_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")
function(tessera_embed_headers target)
    set(files ${ARGN})
    list(TRANSFORM files REPLACE "^[^=]+=" "")
    set(output "${CMAKE_CURRENT_BINARY_DIR}/${target}_headers.cpp")
    add_custom_command(OUTPUT "${output}"
        COMMAND "${CMAKE_COMMAND}" "-DHEADERS=${ARGN}" "-DOUTPUT=${output}" -P "${TESSERA_EMBED_HEADERS_SCRIPT}"
        DEPENDS ${files} "${TESSERA_EMBED_HEADERS_SCRIPT}" VERBATIM)
    target_sources(${target} PRIVATE "${output}")
endfunction()
