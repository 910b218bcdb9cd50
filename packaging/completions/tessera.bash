# Completion of tessera for bash. Filters, variants and devices come from the program itself.
# shellcheck shell=bash

_tessera_list() { tessera "$1" 2>/dev/null | awk 'NR > 1 && /^[a-z]/ {print $1}'; }

_tessera_options() {
    local output='--json -q --quiet -v --verbose --progress --help'
    local filter='--filter --kernel --flip --border --anchor --divisor --offset --normalize --response --channels
        --alpha --linear --depth --variant --device'
    case $1 in
    batch) echo "$filter -o --output --name --recursive --files-from --format --quality --overwrite --skip-existing
        --jobs --max-memory --max-pixels --shard --report --dry-run --max-failures --verify $output" ;;
    bench) echo "--size --image --pixel --suite --kernel-sizes --filter --kernel --flip --anchor --border --variants --peers
        --device --scope --cache --samples --budget --seed --json --csv --baseline --overwrite -q --quiet -v --verbose
        --progress --help" ;;
    compare) echo "--tolerance $output" ;;
    stats) echo "--max-pixels --max-memory $output" ;;
    inspect) echo "--filter --kernel --flip --border --anchor --variant --size --image --pixel --inside --simulate
        --simulate-limit --arch $output" ;;
    report) echo "--output --overwrite $output" ;;
    filters | devices | variants) echo "$output" ;;
    *) echo '--help --version' ;;
    esac
}

_tessera() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command='' words=''
    local commands='batch bench report compare stats inspect filters devices variants'
    [ "$COMP_CWORD" -ne 1 ] || commands+=' help'
    if [ "$COMP_CWORD" -gt 1 ]; then
        command=${COMP_WORDS[1]}
    fi
    COMPREPLY=()
    if [[ $command == bench && $previous == --@(json|csv|baseline) ]]; then # elsewhere --json takes no value
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        compopt -o filenames
        return
    fi
    case $previous in
    --filter) words=$(_tessera_list filters) ;;
    --variants) words="all $(_tessera_list variants)" ;;
    --suite) words='gpu cpu small histogram separable large' ;;
    --scope) words='kernel call end_to_end' ;;
    --cache) words='cold hot both' ;;
    --variant) words="auto $(_tessera_list variants)" ;;
    --device) words="auto cpu sim all $(_tessera_list devices)" ;;
    --border) words='zero constant replicate reflect reflect101 wrap' ;;
    --response) words='clamp absolute signed range' ;;
    --channels) words='rgb rgba luma r g b a' ;;
    --alpha) words='premultiplied preserve independent' ;;
    --depth) words='keep 8 16 32f' ;;
    --pixel)
        words='f32 f16 u8 u16 rgba32f rgba16f rgba8 rgba16'
        [ "$command" != bench ] || words+=' rgb8'
        ;;
    --arch) words='7.5 8.0 8.6 8.9 9.0 10.0 12.0' ;;
    --progress) words='auto always never' ;;
    --divisor) words='auto' ;;
    --shard) words='auto' ;;
    --format) words='png jpg tiff webp exr hdr pfm pnm ppm pgm pam bmp tga' ;;
    -o | --output) mapfile -t COMPREPLY < <(compgen -d -- "$current"); compopt -o filenames; return ;;
    --kernel | --files-from | --report | --image)
        mapfile -t COMPREPLY < <(compgen -f -- "$current"); compopt -o filenames; return ;;
    *)
        if [[ $current == -* ]]; then
            words=$(_tessera_options "$command")
        else
            [[ $COMP_CWORD -ne 1 && ! ($COMP_CWORD -eq 2 && $command == help) ]] || words=$commands
            mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"; compgen -f -- "$current")
            compopt -o filenames
            return
        fi
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}

complete -F _tessera tessera
