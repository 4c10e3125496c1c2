#compdef kerlab
# Completion of kerlab for zsh: eval "$(kerlab completion zsh)" after compinit, or this file as _kerlab in a folder of
# fpath. The program itself knows the words; ./kerlab of a checkout asks that checkout's.
_kerlab() {
  local line text result=1
  local -a whole whole_shown open open_shown one_a_line
  for line in "${(@f)$(${~${(Q)words[1]}} complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
    text=${line%%$'\t'*}
    [[ -n $text ]] || continue
    line=${line#*$'\t'}
    if [[ -n $line ]]; then
      line="$text  -- $line"
      one_a_line=(-l)
    else
      line=$text
    fi
    if [[ $text == *[=:/] ]]; then
      open+=("$text") open_shown+=("$line")
    else
      whole+=("$text") whole_shown+=("$line")
    fi
  done
  (($#whole)) && compadd -V kerlab $one_a_line -d whole_shown -a whole && result=0
  (($#open)) && compadd -V kerlab $one_a_line -S '' -d open_shown -a open && result=0
  return $result
}
if [[ $funcstack[1] == _kerlab ]]; then
  _kerlab "$@"
else
  compdef _kerlab kerlab
fi
