import type { BrowserContext } from '@playwright/test'

/** Removes Chromium's file picker with file handles, because tests can answer only the standard file chooser. */
export const onlyPlainChoosers = (context: BrowserContext) =>
  context.addInitScript(() => void Reflect.deleteProperty(window, 'showOpenFilePicker'))
