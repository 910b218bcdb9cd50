# What the window works on, without the window.
foreach(part history display kernel file area)
    tessera_test(session_${part}_test SOURCES session_${part}_test.cpp LINKS tessera_session LABELS app)
endforeach()
