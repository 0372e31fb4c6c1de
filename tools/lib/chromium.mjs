import process from 'node:process'
import { findCommand } from '../system-packages.mjs'

/** The browser of the machine; Playwright's own download is never used. @returns {string | undefined} */
export const findChromium = () =>
  process.env['CHROMIUM_PATH'] ||
  ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map(findCommand).find(Boolean)
