import type { Locator, Page } from '@playwright/test'

const shifted: Record<string, string> = {
  $: 'Digit4',
  '*': 'Digit8',
  '(': 'Digit9',
  ')': 'Digit0',
  '|': 'Backslash',
  S: 'KeyS',
}

/**
 * Types text with the key presses of an English keyboard, including Shift, because guests receive keys, not characters.
 */
export async function type({ keyboard }: Page, text: string): Promise<void> {
  for (const character of text) {
    const key = shifted[character]
    if (key) await keyboard.press(`Shift+${key}`)
    else await keyboard.press(character === '\n' ? 'Enter' : character === ' ' ? 'Space' : character)
  }
}

/** Returns the fraction of pixels that are not dark, between 0 and 1. */
export const lit = (screen: Locator): Promise<number> =>
  screen.evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height)
    let count = 0
    for (let at = 0; at < data.length; at += 4) if (data[at]! + data[at + 1]! + data[at + 2]! > 240) count++
    return count / (data.length / 4)
  })
