# Completion of kerlab for bash: eval "$(kerlab completion bash)", or this file in share/bash-completion/completions.
# The program itself knows the words; ./kerlab of a checkout asks that checkout's.
_kerlab() {
  # readline breaks words at = and :, kerlab does not: put together again what no space parts, up to the cursor.
  local line=${COMP_LINE:0:COMP_POINT} words=() i part
  for ((i = 0; i <= COMP_CWORD; i++)); do
    part=${COMP_WORDS[i]}
    if [[ $i == 0 || $line == [[:space:]]* ]]; then
      words+=("")
      line=${line#"${line%%[![:space:]]*}"}
    fi
    [[ $line == "$part"* ]] || part=$line
    words[${#words[@]} - 1]+=$part
    line=${line#"$part"}
  done
  for i in "${!words[@]}"; do
    words[i]=${words[i]//[\"\'\\]/}
  done
  local word=${words[${#words[@]} - 1]} program=${words[0]/#\~\//$HOME/} text
  COMPREPLY=()
  while IFS=$'\t' read -r text _; do
    # readline replaces only what follows the last of its breaks.
    [[ $COMP_WORDBREAKS == *=* && $word == *=* ]] && text=${text#"${word%"${word##*=}"}"}
    [[ $COMP_WORDBREAKS == *:* && ${word##*=} == *:* ]] && { part=${word##*=} && text=${text#"${part%"${part##*:}"}"}; }
    printf -v text %q "$text"
    text=${text//\\,/,}  # %q of some bash quotes it; a list goes on behind it
    [[ $text == *[=:/] ]] || text+=" "
    COMPREPLY+=("$text")
  done < <("$program" complete -- "${words[@]:1}" 2>/dev/null)
}
complete -o nospace -F _kerlab kerlab
