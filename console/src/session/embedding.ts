import { sessionNow } from './session'

/*
 * What the console and the page around it say to each other when it stands in a frame (S1§4, S1§7). Only pages of this
 * address, and of the origins that the server names, are told anything or heard; they alone may frame it anyway. No
 * message tells more than that somebody came or went, or what became of a form.
 */
export const storageAccessWaitMs = 1000

type Told =
  | { type: 'init' | 'authSuccess' | 'logout' }
  | { type: 'storageAccess'; state: 'wait' | 'success' | 'error' }
  /** A form is over. `id`: of what it made or changed, where the server told one. */
  | { type: 'close'; result: 'done' | 'cancel'; id: string | null }

export const isInFrame = () => window.parent !== window

const trusted = (): readonly string[] => [location.origin, ...(sessionNow().panel?.parent_origins ?? [])]

export function tellParent(message: Told) {
  // the browser hands it to the page around this one only where that is of the origin
  if (isInFrame()) for (const origin of trusted()) window.parent.postMessage(message, origin)
}

const late = () => new Promise<never>((_, reject) => setTimeout(reject, storageAccessWaitMs, new Error('no answer')))

/** Asks the browser for the cookies that it keeps from a frame. */
async function requestStorageAccess() {
  tellParent({ type: 'storageAccess', state: 'wait' })
  try {
    await Promise.race([document.requestStorageAccess(), late()])
    tellParent({ type: 'storageAccess', state: 'success' })
  } catch {
    tellParent({ type: 'storageAccess', state: 'error' })
  }
}

/** Says that the console is here, and does what the page around it asks for. */
export function followParent() {
  addEventListener('message', ({ source, origin, data }: MessageEvent<{ type?: unknown } | null>) => {
    if (!isInFrame() || source !== window.parent || !trusted().includes(origin)) return
    if (data?.type === 'requestStorageAccess') void requestStorageAccess()
  })
  tellParent({ type: 'init' })
}
