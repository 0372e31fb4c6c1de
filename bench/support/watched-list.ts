import type { Instance } from '@mainstay/contract/compute/instances'
import type { Page } from '@playwright/test'
import { withConsole, type Visitor } from './with-console'

const SEEN_WITHIN_MS = 20_000

declare global {
  interface Window {
    /** Texts of the rows, with the times when they were painted. */
    seen: { row: string; at: number }[]
  }
}

/** A list of instances that is open in a browser. */
export interface WatchedList {
  /** Returns the running instances that are on the page, and starts recording its rows. */
  shown(among: readonly Instance[]): Promise<Instance[]>
  /** Clears the recorded rows. */
  look(): Promise<void>
  /**
   * Returns when the row with this name first showed this status text since the last `look`, in milliseconds since
   * 1970.
   */
  seenAt(name: string, word: string): Promise<number>
  /** Returns the page's heap size after garbage collection. */
  heapBytes(): Promise<number>
}

/** Opens a browser, signs in to the console and opens the project's list of instances. */
export const withWatchedList = <Result>(
  url: string,
  who: Visitor,
  work: (list: WatchedList) => Promise<Result>,
): Promise<Result> =>
  withConsole(url, who, async (page) => {
    await page.goto(new URL('/compute/instances', url).href)
    return work(watch(page))
  })

function watch(page: Page): WatchedList {
  return {
    async shown(among) {
      const grid = page.getByRole('grid')
      await grid.getByText(among[0]!.name, { exact: true }).waitFor()
      await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
      const texts = await grid.getByRole('row').allInnerTexts()
      await note(page)
      return among.filter(({ name, status }) => status === 'ACTIVE' && texts.some((text) => text.includes(name)))
    },
    look: () => page.evaluate(() => void (window.seen = [])),
    async seenAt(name, word) {
      const found = await page.waitForFunction(
        ([named, says]) => window.seen.find(({ row }) => row.includes(named!) && row.includes(says!))?.at,
        [name, word],
        { timeout: SEEN_WITHIN_MS, polling: 20 },
      )
      return (await found.jsonValue()) ?? Number.NaN
    },
    async heapBytes() {
      await page.evaluate(() => void (window.seen = []))
      const browser = await page.context().newCDPSession(page)
      await browser.send('HeapProfiler.collectGarbage')
      const { usedSize } = await browser.send('Runtime.getHeapUsage')
      await browser.detach()
      return usedSize
    },
  }
}

/** Starts recording the texts of the page's rows. */
const note = (page: Page): Promise<void> =>
  // no named functions: the TypeScript loader would wrap them in a helper that does not exist in the page
  page.evaluate(() => {
    window.seen = []
    new MutationObserver(() =>
      requestAnimationFrame(() => {
        // runs right after the frame is painted
        const { port1, port2 } = new MessageChannel()
        port1.addEventListener('message', () => {
          const at = Date.now()
          for (const row of document.querySelectorAll('tr, [role="row"]'))
            window.seen.push({ row: row.textContent, at })
        })
        port1.start()
        port2.postMessage(null)
      }),
    ).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    })
  })
