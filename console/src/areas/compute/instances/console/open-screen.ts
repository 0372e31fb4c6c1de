import RFB from '@novnc/novnc'
import { keys, type KeyName, type KeyPress } from './keysyms'
import type { ConsoleEvents, OpenConsole } from './use-console'

/** Whether the guest's screen is scaled to fit or shown pixel for pixel. */
export type Scaling = 'fit' | 'actual'

/** An open graphical console. Only this file imports noVNC, so that the library is loaded on demand. */
export interface OpenScreen extends OpenConsole {
  press: (key: KeyPress) => void
  /** Sends a key combination: keys are pressed in order and released in reverse order. */
  chord: (names: readonly KeyName[]) => void
  setScaling: (scaling: Scaling) => void
}

export function openScreen(target: HTMLElement, address: string, events: ConsoleEvents): OpenScreen {
  const rfb = new RFB(target, address, { shared: true, wsProtocols: ['binary'] })
  let reason: string | undefined
  let isClosed = false
  rfb.background = 'transparent'
  rfb.showDotCursor = true
  rfb.addEventListener('connect', () => events.connected())
  rfb.addEventListener('securityfailure', ({ detail }) => {
    reason = detail.reason ?? `RFB ${detail.status}`
  })
  rfb.addEventListener('disconnect', () => {
    if (!isClosed) events.ended(reason)
    isClosed = true
  })
  return {
    press({ keysym, code, isShifted, isAltGr }) {
      if (isShifted) rfb.sendKey(keys.shift.keysym, keys.shift.code, true)
      if (isAltGr) rfb.sendKey(keys.altGr.keysym, keys.altGr.code, true)
      rfb.sendKey(keysym, code, true)
      rfb.sendKey(keysym, code, false)
      if (isAltGr) rfb.sendKey(keys.altGr.keysym, keys.altGr.code, false)
      if (isShifted) rfb.sendKey(keys.shift.keysym, keys.shift.code, false)
    },
    chord(names) {
      for (const name of names) rfb.sendKey(keys[name].keysym, keys[name].code, true)
      for (const name of names.toReversed()) rfb.sendKey(keys[name].keysym, keys[name].code, false)
    },
    setScaling(scaling) {
      rfb.scaleViewport = scaling === 'fit'
      rfb.clipViewport = false
    },
    focus: () => rfb.focus({ preventScroll: true }),
    blur() {
      // release the modifiers: if the user releases them outside the console, the guest would see them as still pressed
      for (const key of [keys.control, keys.alt, keys.shift, keys.altGr, keys.meta])
        rfb.sendKey(key.keysym, key.code, false)
      rfb.blur()
    },
    close() {
      if (isClosed) return
      isClosed = true
      rfb.disconnect()
    },
  }
}
