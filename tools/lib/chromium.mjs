import process from 'node:process'
import { findCommand } from '../system-packages.mjs'

/**
 * Finds an installed browser, because Playwright's own download is never used. Prefers the headless shell, which
 * renders the same output in two thirds of the time.
 *
 * @returns {string | undefined}
 */
export const findChromium = () =>
  process.env['CHROMIUM_PATH'] ||
  ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
    .map(findCommand)
    .find(Boolean)
