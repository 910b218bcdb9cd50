# Completion of tessera for fish. Filters, variants and devices come from the program itself.

function __tessera_list
    tessera $argv[1] 2>/dev/null | awk 'NR > 1 && /^[a-z]/ {print $1}'
end

set -l commands batch bench report compare stats inspect filters devices variants
complete -c tessera -n __fish_use_subcommand -a batch -d 'filter files or folders'
complete -c tessera -n __fish_use_subcommand -a bench -d 'time every implementation'
complete -c tessera -n __fish_use_subcommand -a compare -d 'how far two pictures are apart'
complete -c tessera -n __fish_use_subcommand -a report -d 'join the reports of a batch in parts'
complete -c tessera -n __fish_use_subcommand -a stats -d 'histogram and statistics of pictures'
complete -c tessera -n __fish_use_subcommand -a inspect -d 'plan, sectors, bank conflicts, occupancy of a kernel'
complete -c tessera -n __fish_use_subcommand -a filters -d 'list the filters'
complete -c tessera -n __fish_use_subcommand -a devices -d 'list the devices'
complete -c tessera -n __fish_use_subcommand -a variants -d 'list the implementations'
complete -c tessera -n __fish_use_subcommand -a help -d 'explain a command'
complete -c tessera -n '__fish_seen_subcommand_from help' -x -a "$commands"
complete -c tessera -n __fish_use_subcommand -l version -d 'show the version'
complete -c tessera -l help -d 'explain the command'

complete -c tessera -n '__fish_seen_subcommand_from batch compare stats inspect filters devices variants' -l json -d 'machine-readable output'
complete -c tessera -n "__fish_seen_subcommand_from $commands" -s q -l quiet -d 'errors only'
complete -c tessera -n "__fish_seen_subcommand_from $commands" -s v -l verbose -d 'say more'
complete -c tessera -n "__fish_seen_subcommand_from $commands" -l progress -x -a 'auto always never'

set -l filtering '__fish_seen_subcommand_from batch'
set -l kernels '__fish_seen_subcommand_from batch bench inspect'
complete -c tessera -n $kernels -l filter -x -a '(__tessera_list filters)' -d 'a filter with its parameters'
complete -c tessera -n $kernels -l kernel -r -d 'a kernel file, or a kernel itself'
complete -c tessera -n $kernels -l flip -d 'true convolution'
complete -c tessera -n $kernels -l border -x -a 'zero constant replicate reflect reflect101 wrap'
complete -c tessera -n $kernels -l anchor -x -d 'origin of the kernel: X,Y'
complete -c tessera -n $filtering -l divisor -x -a auto -d 'divide the sum'
complete -c tessera -n $filtering -l offset -x -d 'add after the division'
complete -c tessera -n $filtering -l normalize -d 'divide by the sum of the taps'
complete -c tessera -n $filtering -l response -x -a 'clamp absolute signed range'
complete -c tessera -n $filtering -l channels -x -a 'rgb rgba luma r g b a'
complete -c tessera -n $filtering -l alpha -x -a 'premultiplied preserve independent'
complete -c tessera -n $filtering -l linear -d 'filter in linear light'
complete -c tessera -n $filtering -l depth -x -a 'keep 8 16 32f'
complete -c tessera -n '__fish_seen_subcommand_from batch inspect' -l variant -x -a 'auto (__tessera_list variants)' -d 'which implementation'
complete -c tessera -n '__fish_seen_subcommand_from batch bench' -l device -x -a 'auto all (__tessera_list devices)' -d where

set -l batch '__fish_seen_subcommand_from batch'
complete -c tessera -n $batch -s o -l output -x -a '(__fish_complete_directories)' -d 'folder for the results'
complete -c tessera -n $batch -l name -x -d 'names of the results'
complete -c tessera -n $batch -l recursive -d 'folders within folders'
complete -c tessera -n $batch -l files-from -r -d 'read names of inputs'
complete -c tessera -n $batch -l format -x -a 'png jpg tiff webp exr hdr pfm pnm ppm pgm pam bmp tga'
complete -c tessera -n $batch -l quality -x -d 'of lossy formats, 1 to 100'
complete -c tessera -n $batch -l overwrite -d 'replace results'
complete -c tessera -n $batch -l skip-existing -d resume
complete -c tessera -n $batch -l jobs -x -d 'pictures at a time'
complete -c tessera -n $batch -l max-memory -x -d 'for pictures in work'
complete -c tessera -n $batch -l max-pixels -x -d 'refuse larger pictures'
complete -c tessera -n $batch -l shard -x -a auto -d 'part i/n of the list'
complete -c tessera -n $batch -l report -r -d 'one JSON object a picture'
complete -c tessera -n $batch -l dry-run -d 'write nothing'
complete -c tessera -n $batch -l max-failures -x -d 'stop after so many'
complete -c tessera -n $batch -l verify -x -d 'compute some again'

set -l bench '__fish_seen_subcommand_from bench'
complete -c tessera -n $bench -l size -x -d 'sizes of the pictures: WxH,...'
complete -c tessera -n $bench -l image -r -d 'time on this picture'
complete -c tessera -n $bench -l pixel -x -a 'f32 f16 u8 u16 rgb8 rgba32f rgba16f rgba8 rgba16'
complete -c tessera -n $bench -l suite -x -a 'gpu cpu small histogram separable large' -d 'a standard set'
complete -c tessera -n $bench -l kernel-sizes -x -d 'random kernels: 3,5,7'
complete -c tessera -n $bench -l variants -x -a 'all (__tessera_list variants)' -d 'which implementations'
complete -c tessera -n $bench -l peers -d "vendors' libraries as well"
complete -c tessera -n $bench -l scope -x -a 'kernel call end_to_end' -d 'what a time holds'
complete -c tessera -n $bench -l cache -x -a 'cold hot both'
complete -c tessera -n $bench -l samples -x -d 'of each contender'
complete -c tessera -n $bench -l budget -x -d 'seconds for a contender'
complete -c tessera -n $bench -l seed -x -d 'of the random data'
complete -c tessera -n $bench -l json -r -d 'write the report as JSON'
complete -c tessera -n $bench -l csv -r -d 'write the rows as CSV'
complete -c tessera -n $bench -l baseline -r -d 'compare with an earlier report'
complete -c tessera -n $bench -l overwrite -d 'replace reports'

complete -c tessera -n '__fish_seen_subcommand_from compare' -l tolerance -x -d 'equal within'
complete -c tessera -n '__fish_seen_subcommand_from compare stats' -F
complete -c tessera -n '__fish_seen_subcommand_from report' -a merge
complete -c tessera -n '__fish_seen_subcommand_from report' -s o -l output -r -F
complete -c tessera -n '__fish_seen_subcommand_from report' -l overwrite -d 'replace the merged report'

set -l inspect '__fish_seen_subcommand_from inspect'
complete -c tessera -n $inspect -l size -x -d 'size of the picture: WxH'
complete -c tessera -n $inspect -l image -r -d 'take size and pixels from a picture'
complete -c tessera -n $inspect -l pixel -x -a 'f32 f16 u8 u16 rgba32f rgba16f rgba8 rgba16'
complete -c tessera -n $inspect -l inside -d 'only windows inside the picture'
complete -c tessera -n $inspect -l simulate -d 'count in the simulator as well'
complete -c tessera -n $inspect -l simulate-limit -x -d 'accesses to record at most'
complete -c tessera -n $inspect -l arch -x -a '7.5 8.0 8.6 8.9 9.0 10.0 12.0' -d 'compute capability'
