import { keys, type KeyPress } from './keysyms'

/** A guest's keyboard buffer is small: typing faster would lose keys. */
const betweenKeysMs = 12
/** A shell may take some time to process a line before it reads the next one. */
const afterLineMs = 80

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Types keys slowly enough for a guest to keep up. Stops when the signal is aborted. */
export async function typeSlowly(
  presses: readonly KeyPress[],
  press: (key: KeyPress) => void,
  { signal, onStep }: { signal: AbortSignal; onStep: (typed: number) => void },
): Promise<void> {
  for (const [index, key] of presses.entries()) {
    if (signal.aborted) return
    press(key)
    onStep(index + 1)
    await wait(key.keysym === keys.enter.keysym ? afterLineMs : betweenKeysMs)
  }
}
