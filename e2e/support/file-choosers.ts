import type { BrowserContext } from '@playwright/test'

/**
 * Removes the Chromium API for file pickers with file handles, because tests can control only the standard file
 * chooser.
 */
export const onlyPlainChoosers = (context: BrowserContext) =>
  context.addInitScript(() => void Reflect.deleteProperty(window, 'showOpenFilePicker'))
