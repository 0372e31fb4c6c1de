import { isLayoutId, type LayoutId } from './keyboard-layouts'
import type { Scaling } from './open-screen'

// Console preferences, stored per browser.
const scalingKey = 'mainstay.console.scaling'
const layoutKey = 'mainstay.console.layout'

function read(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null // the browser blocks storage: the preference lasts only until the page is closed
  }
}

function keep(key: string, value: string) {
  try {
    localStorage.setItem(key, value)
  } catch {
    // the browser blocks storage: the preference is not saved
  }
}

export const keptScaling = (): Scaling => (read(scalingKey) === 'actual' ? 'actual' : 'fit')
export const keepScaling = (scaling: Scaling) => keep(scalingKey, scaling)

export function keptLayout(): LayoutId {
  const layout = read(layoutKey)
  return isLayoutId(layout) ? layout : 'us'
}
export const keepLayout = (layout: LayoutId) => keep(layoutKey, layout)
