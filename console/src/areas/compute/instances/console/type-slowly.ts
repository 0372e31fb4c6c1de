import { keys, type KeyPress } from './keysyms'

/** A guest's keyboard buffer is small: faster than this, keys are lost. */
const betweenKeysMs = 12
/** A shell may think about a line before it reads the next. */
const afterLineMs = 80

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Presses keys one after another, at a pace that a guest can follow, until it is told to stop. */
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
