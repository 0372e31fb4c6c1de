import process from 'node:process'
import { chromium, type Page } from '@playwright/test'
import { findChromium } from '../../tools/lib/chromium.mjs'

/** A user and the project to open. */
export interface Visitor {
  username: string
  password: string
  project: string
}

/** Opens a browser, signs in to the console and selects the project. Closes the browser after `work`. */
export async function withConsole<Result>(
  url: string,
  who: Visitor,
  work: (page: Page) => Promise<Result>,
): Promise<Result> {
  const executablePath = findChromium()
  const browser = await chromium.launch({
    ...(executablePath && { executablePath }),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  })
  try {
    const page = await browser.newPage({ locale: 'en-US', viewport: { width: 1440, height: 900 } })
    await page.goto(url)
    await page.getByLabel('Username').fill(who.username)
    await page.getByLabel('Password', { exact: true }).fill(who.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    const chooser = page.getByRole('button', { name: /^Project:/ })
    await chooser.waitFor()
    // a user with a single project is taken directly to it
    if ((await chooser.getAttribute('aria-label')) !== `Project: ${who.project}`) {
      await chooser.click()
      await page.getByText(who.project, { exact: true }).last().click()
    }
    await page.getByRole('button', { name: `Project: ${who.project}`, exact: true }).waitFor()
    return await work(page)
  } finally {
    await browser.close()
  }
}
