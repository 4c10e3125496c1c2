# Completion of kerlab for fish: kerlab completion fish | source, or this file in share/fish/vendor_completions.d. The
# program itself knows the words; ./kerlab of a checkout asks that checkout's.
function __kerlab_complete
    set -l words (commandline -opc)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    $program complete -- $words[2..-1] (commandline -ct) 2>/dev/null
end
complete -c kerlab -f -a '(__kerlab_complete)'
