/** Lines that tell where to look further, or point at a place in the input, and never why a program failed. */
const hint =
  /^(\^[\s^~]*|dmesg\(1\) may have more information.*|Dump terminated|Command failed \S+:\d+|(For more information|Try|See|Usage:|hint:).*)$/i
const MOST_LINES = 3
const MOST_CHARACTERS = 400

/**
 * Why a program failed, from what it wrote to standard error: its first lines without hints, in one line; '' where there are none.
 * Programs name the cause first. What follows are consequences, quoted input and advice.
 */
export function reasonIn(errors: string): string {
  const lines = errors.split('\n').map((line) => line.trim().replaceAll(/\s+/g, ' '))
  const told = lines.filter((line) => line !== '' && !hint.test(line))
  return told.slice(0, MOST_LINES).join(' ').slice(0, MOST_CHARACTERS)
}
