import { Terminal, type ITheme } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import type { ConsoleEvents, OpenConsole } from './use-console'
import { allowInlineStyles } from './written-styles'

/** An open terminal. Only this file imports xterm.js, so that the library is loaded on demand. */
export interface OpenTerminal extends OpenConsole {
  clear: () => void
  /** The visible text and the scrollback, without colours. */
  text: () => string
}

/** A serial port has no window size, so guests assume 80 columns and programs wrap lines there. */
const columns = 80
const leastRows = 24
const keptLines = 10_000
const fontSizes = { least: 9, most: 18 }

/** Matches the page around it, which is dark in every theme. */
const theme: ITheme = {
  background: '#0b0f14',
  foreground: '#d9e0e8',
  cursor: '#d9e0e8',
  selectionBackground: '#2f5d8c',
}

/**
 * Matches replies that a terminal sends automatically when a program queries its type or cursor position (ECMA-48, DSR
 * and DA).
 */
// oxlint-disable-next-line no-control-regex
const report = /^\u001b\[[?>]?[\d;]*[Rnc]$/

export function openTerminal(target: HTMLElement, address: string, events: ConsoleEvents): OpenTerminal {
  const forbidWrittenStyles = allowInlineStyles()
  const terminal = new Terminal({
    cols: columns,
    rows: leastRows,
    scrollback: keptLines,
    cursorBlink: false,
    fontFamily: getComputedStyle(target).fontFamily,
    minimumContrastRatio: 4.5,
    screenReaderMode: true,
    theme,
  })
  terminal.open(target)
  terminal.attachCustomKeyEventHandler(leavesToBrowser(terminal))
  const stopFitting = keepFitting(terminal, target)

  const socket = new WebSocket(address, ['binary'])
  socket.binaryType = 'arraybuffer'
  let isOver = false
  socket.addEventListener('open', () => events.connected())
  // the first message replays earlier output, in which any queries have already been answered
  let isPast = true
  socket.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer>) =>
    terminal.write(new Uint8Array(data), () => (isPast = false)),
  )
  socket.addEventListener('close', () => {
    dispose()
    if (!isOver) events.ended(undefined)
    isOver = true
  })
  const encoder = new TextEncoder()
  const send = (bytes: Uint8Array<ArrayBuffer>) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(bytes)
  }
  terminal.onData((text) => {
    if (!(isPast && report.test(text))) send(encoder.encode(text))
  })
  terminal.onBinary((text) => send(Uint8Array.from(text, (character) => character.charCodeAt(0))))

  let isDisposed = false
  function dispose() {
    if (isDisposed) return
    isDisposed = true
    stopFitting()
    terminal.dispose()
    forbidWrittenStyles()
  }

  return {
    clear: () => terminal.clear(),
    text() {
      const { active } = terminal.buffer
      const lines = Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? '')
      return `${lines.join('\n').trimEnd()}\n`
    },
    focus: () => terminal.focus(),
    blur: () => terminal.blur(),
    close() {
      isOver = true
      socket.close()
      dispose()
    },
  }
}

/**
 * True for keys that the browser handles: paste, and copy if text is selected. All others, including Ctrl+C without a
 * selection, go to the guest.
 */
const leavesToBrowser =
  (terminal: Terminal) =>
  ({ ctrlKey, altKey, key }: KeyboardEvent): boolean => {
    if (!ctrlKey || altKey) return true
    const letter = key.toLowerCase()
    return !(letter === 'v' || (letter === 'c' && terminal.hasSelection()))
  }

/**
 * Adjusts the font size so that all columns fit the width, and shows as many rows as fit. Returns a cleanup function.
 */
function keepFitting(terminal: Terminal, target: HTMLElement): () => void {
  const measure = document.createElement('canvas').getContext('2d')
  const fit = () => {
    const { clientWidth, clientHeight } = target
    if (!measure || clientWidth === 0 || clientHeight === 0) return
    measure.font = `100px ${terminal.options.fontFamily}`
    const columnAt1px = measure.measureText('0'.repeat(columns)).width / 100
    const size = Math.floor(clientWidth / columnAt1px)
    terminal.options.fontSize = Math.min(fontSizes.most, Math.max(fontSizes.least, size))
    const shown = target.querySelector('.xterm-screen')
    if (!shown) return
    const rowHeight = shown.clientHeight / terminal.rows
    terminal.resize(columns, Math.max(leastRows, Math.floor(clientHeight / rowHeight)))
  }
  const observer = new ResizeObserver(fit)
  observer.observe(target)
  void document.fonts.ready.then(fit)
  return () => observer.disconnect()
}
