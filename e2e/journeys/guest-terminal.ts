import { expect as expectSoon, type Page } from '@playwright/test'
import { go } from './networking-forms'

/** A guest without KVM needs seconds for everything. */
const expect = expectSoon.configure({ timeout: 5 * 60_000 })

/** Of what is typed, so that the answer to each command is told from those before. */
let commands = 0

const terminal = (page: Page) => page.getByRole('application')

/** Opens the serial terminal of a machine whose guest has said that it is ready, now or before. */
export async function openTerminal(page: Page, id: string): Promise<void> {
  await go(page, `/compute/servers/instances/${id}/console?protocol=serial`)
  await expect(terminal(page)).toContainText('guest: ready')
}

/** The lines that the terminal shows of what the guest said on its serial port; for screen readers they are there once more. */
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

/** Runs a line of shell script in the guest of the open terminal, and answers what it printed, and how it ended. */
export async function run(page: Page, line: string): Promise<{ code: number; text: string }> {
  const number = ++commands
  // the sum is not what was typed, and what was typed is cleared away before the command says anything
  await type(page, `clear; ${line}; echo "over-$((${number}+1000))-$?-"`)
  const end = new RegExp(`over-${number + 1000}-(\\d+)-`)
  await expect.poll(() => shown(page)).toMatch(end)
  const text = await shown(page)
  return { code: Number(end.exec(text)?.[1]), text: text.slice(0, text.search(end)).trim() }
}
