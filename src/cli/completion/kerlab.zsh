#compdef kerlab
# Completion of kerlab for zsh: eval "$(kerlab completion zsh)" after compinit, or this file as _kerlab in a folder of
# fpath. The program itself knows the words; ./kerlab of a checkout asks that checkout's.
_kerlab() {
  local line text
  local -a ends shown open open_shown
  for line in "${(@f)$(${~${(Q)words[1]}} complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
    text=${line%%$'\t'*}
    [[ -n $text ]] || continue
    line=${line#*$'\t'}
    [[ -n $line ]] && line="$text  -- $line" || line=$text
    if [[ $text == *[=:/] ]]; then
      open+=("$text") open_shown+=("$line")
    else
      ends+=("$text") shown+=("$line")
    fi
  done
  local kind=-l
  [[ "${(j::)shown}${(j::)open_shown}" == *'  -- '* ]] || kind=-Q
  compadd -V kerlab ${kind:#-Q} -d shown -a ends
  compadd -V kerlab ${kind:#-Q} -S '' -d open_shown -a open
}
if [[ $funcstack[1] == _kerlab ]]; then
  _kerlab "$@"
else
  compdef _kerlab kerlab
fi
