import type { BrowserContext } from '@playwright/test'

/**
 * Removes Chromium's file picker that returns file handles, because tests can control only the standard file chooser.
 */
export const onlyPlainChoosers = (context: BrowserContext) =>
  context.addInitScript(() => void Reflect.deleteProperty(window, 'showOpenFilePicker'))
