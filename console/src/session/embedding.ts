import { sessionNow } from './session'

/*
 * Messages between the console and the page that embeds it in a frame (S1§4, S1§7). They are exchanged only with the
 * console's own origin and with the origins that the server lists, which are also the only ones allowed to frame the
 * console. Messages carry no more than sign-in, sign-out and the result of a form.
 */
export const storageAccessWaitMs = 1000

type Told =
  | { type: 'init' | 'authSuccess' | 'logout' }
  | { type: 'storageAccess'; state: 'wait' | 'success' | 'error' }
  /** A form was closed. `id` is the object that it created or changed, if the server returned one. */
  | { type: 'close'; result: 'done' | 'cancel'; id: string | null }

export const isInFrame = () => window.parent !== window

const trusted = (): readonly string[] => [location.origin, ...(sessionNow().panel?.parent_origins ?? [])]

export function tellParent(message: Told) {
  // the browser delivers the message only if the embedding page has this origin
  if (isInFrame()) for (const origin of trusted()) window.parent.postMessage(message, origin)
}

const late = () => new Promise<never>((_, reject) => setTimeout(reject, storageAccessWaitMs, new Error('no answer')))

/** Requests access to the cookies that the browser withholds from frames. */
async function requestStorageAccess() {
  tellParent({ type: 'storageAccess', state: 'wait' })
  try {
    await Promise.race([document.requestStorageAccess(), late()])
    tellParent({ type: 'storageAccess', state: 'success' })
  } catch {
    tellParent({ type: 'storageAccess', state: 'error' })
  }
}

/** Announces the console to the embedding page and handles its requests. */
export function followParent() {
  addEventListener('message', ({ source, origin, data }: MessageEvent<{ type?: unknown } | null>) => {
    if (!isInFrame() || source !== window.parent || !trusted().includes(origin)) return
    if (data?.type === 'requestStorageAccess') void requestStorageAccess()
  })
  tellParent({ type: 'init' })
}
