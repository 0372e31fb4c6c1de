import { expect as expectSoon, type Page } from '@playwright/test'
import { go } from './networking-forms'

/** Long timeout, because every step takes seconds in a guest without KVM. */
const expect = expectSoon.configure({ timeout: 5 * 60_000 })

/** Number of commands so far, which distinguishes the output of each command from earlier output. */
let commands = 0

const terminal = (page: Page) => page.getByRole('application')

/** Opens the serial terminal of an instance and waits until its guest is ready. */
export async function openTerminal(page: Page, id: string): Promise<void> {
  await go(page, `/compute/servers/instances/${id}/console?protocol=serial`)
  await expect(terminal(page)).toContainText('guest: ready')
}

/** Returns the visible lines of the terminal, without the copy for screen readers. */
export const shown = async (page: Page): Promise<string> => {
  const text = await terminal(page).locator('.xterm-rows').innerText()
  return text
    .split('\n')
    .map((line) => line.replaceAll('\u00a0', ' ').trimEnd())
    .filter((line) => line !== '')
    .join('\n')
}

/** Types a line of shell script. */
export async function type(page: Page, line: string): Promise<void> {
  await page.keyboard.type(`${line}\n`)
}

/** Runs a line of shell script in the open terminal. Returns the output and exit code. */
export async function run(page: Page, line: string): Promise<{ code: number; text: string }> {
  const number = ++commands
  // the marker contains a sum so that the typed line cannot match it; the typed line is cleared before any output
  // appears
  await type(page, `clear; ${line}; echo "over-$((${number}+1000))-$?-"`)
  const end = new RegExp(`over-${number + 1000}-(\\d+)-`)
  await expect.poll(() => shown(page)).toMatch(end)
  const text = await shown(page)
  return { code: Number(end.exec(text)?.[1]), text: text.slice(0, text.search(end)).trim() }
}
