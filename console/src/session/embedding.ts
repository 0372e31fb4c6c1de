/*
 * What the console and the page around it say to each other when it stands in a frame (S1§4, S1§7). Nothing secret: the
 * policy of the server lets only its own pages frame it, and no message tells more than that somebody came or went.
 */
export const storageAccessWaitMs = 1000

type Told = { type: 'init' | 'authSuccess' | 'logout' } | { type: 'storageAccess'; state: 'wait' | 'success' | 'error' }

export function tellParent(message: Told) {
  if (window.parent !== window) window.parent.postMessage(message, '*')
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
  addEventListener('message', ({ source, data }: MessageEvent<{ type?: unknown } | null>) => {
    if (window.parent !== window && source === window.parent && data?.type === 'requestStorageAccess')
      void requestStorageAccess()
  })
  tellParent({ type: 'init' })
}
