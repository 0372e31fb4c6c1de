import type { BrowserContext } from '@playwright/test'

/** Leaves the plain chooser of all browsers: that of Chromium, which gives handles of files, cannot be answered by a test. */
export const onlyPlainChoosers = (context: BrowserContext) =>
  context.addInitScript(() => void Reflect.deleteProperty(window, 'showOpenFilePicker'))
