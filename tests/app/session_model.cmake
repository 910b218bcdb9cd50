# What the window works on, without the window.
foreach(part history display kernel file area)
    tessera_test(session_${part}_test SOURCES session_${part}_test.cpp LINKS tessera_session LABELS app)
endforeach()
# What the editor copies for other tools is run there, where they are installed.
tessera_test(session_code_test SOURCES session_code_test.cpp LINKS tessera_session nlohmann_json::nlohmann_json LABELS app)
target_compile_definitions(session_code_test PRIVATE
    TESSERA_TEST_PYTHON="${TESSERA_TEST_PYTHON}" TESSERA_CODE_CHECK="${CMAKE_CURRENT_LIST_DIR}/code_check.py")
