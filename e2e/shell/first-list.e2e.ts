import { expect } from '@playwright/test'
import { test } from '../support/test'

test.use({ as: 'tenant', isCold: true })

/** Maximum number of requests, including the page itself and its icon. */
const mostRequests = 19

test(`shows the first list after at most ${mostRequests} requests with an empty browser cache`, async ({ page }) => {
  await page.addInitScript(() =>
    new MutationObserver((_changes, observer) => {
      if (!document.querySelector('[role=grid] tbody a')) return
      performance.mark('rows drawn')
      observer.disconnect()
    }).observe(document, { childList: true, subtree: true }),
  )
  await page.goto('/compute/instances')
  await expect(page.getByRole('row').nth(1)).toBeVisible()
  const requests = await page.evaluate(() => {
    const drawn = performance.getEntriesByName('rows drawn')[0]!.startTime
    return performance
      .getEntries()
      .filter(({ entryType, startTime }) => /^(navigation|resource)$/.test(entryType) && startTime <= drawn)
      .map(({ name, startTime }) => `${Math.round(startTime)} ms ${new URL(name).pathname}`)
  })
  expect(requests.length).toBeGreaterThan(3)
  // plus one, because performance entries do not include the icon
  expect(requests.length + 1, requests.join('\n')).toBeLessThanOrEqual(mostRequests)
})

/** Maximum layout shift score. Icon changes in the header stay below it. */
const stillShift = 0.005

for (const { width, paths } of [
  { width: 1440, paths: ['/monitoring', '/compute/instances'] },
  { width: 360, paths: ['/monitoring', '/compute/instances'] },
])
  test(`${paths.join(' and ')} load without layout shifts at ${width} px`, async ({ page }) => {
    await page.setViewportSize({ width, height: 800 })
    await page.addInitScript(() => {
      const shifts: string[] = []
      Object.assign(globalThis, { shifts, shifted: 0 })
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & { value: number; sources: { node: Node }[] })[]) {
          Object.assign(globalThis, { shifted: Reflect.get(globalThis, 'shifted') + entry.value })
          shifts.push(
            `${entry.value} at ${entry.startTime}: ${entry.sources.map(({ node }) => node?.textContent).join()}`,
          )
        }
      }).observe({ type: 'layout-shift', buffered: true })
    })
    for (const path of paths) {
      await page.goto(path)
      // this button appears only after all responses have arrived
      await expect(page.getByRole('button', { name: 'Notifications' })).toBeVisible()
      await expect(page.locator('main [class*=skeleton]')).toHaveCount(0)
      const { shifted, shifts } = await page.evaluate(() => ({
        shifted: Reflect.get(globalThis, 'shifted') as number,
        shifts: Reflect.get(globalThis, 'shifts') as string[],
      }))
      expect(shifted, `${path}\n${shifts.join('\n')}`).toBeLessThan(stillShift)
    }
  })
