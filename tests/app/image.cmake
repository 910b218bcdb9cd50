# Loading and saving. The support code uses the room's interface and leaves to each test which build of it to link.
tessera_library(image_test_support SOURCES "${CMAKE_CURRENT_LIST_DIR}/image_test_support.cpp" LINKS tessera_core)
foreach(part roundtrip metadata damage refusals claims atomic readers png jpeg)
    tessera_test(image_${part}_test SOURCES image_${part}_test.cpp LINKS image_test_support tessera_image LABELS app)
endforeach()
if("TIFF" IN_LIST TESSERA_PICTURE_LIBRARIES)
    foreach(part tiff rows)
        tessera_test(image_${part}_test SOURCES image_${part}_test.cpp LINKS image_test_support tessera_image LABELS app)
    endforeach()
endif()

# The same tests against the build without the formats' libraries, and what is special to it.
if(TARGET tessera_image_minimal)
    foreach(part roundtrip damage refusals claims png jpeg)
        tessera_test(image_minimal_${part}_test SOURCES image_${part}_test.cpp
            LINKS image_test_support tessera_image_minimal LABELS app)
    endforeach()
    tessera_test(image_minimal_test SOURCES image_minimal_test.cpp LINKS image_test_support tessera_image_minimal LABELS app)
endif()
