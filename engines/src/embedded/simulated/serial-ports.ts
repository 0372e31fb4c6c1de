import type { Duplex } from 'node:stream'
import { createSharedLine, type SharedLine } from '../shared-line'

/** The serial ports of simulated machines: what is typed is echoed, and each line is answered by a prompt. */
export interface SerialPorts {
  join(id: string): Duplex
  /** The machine ended: whoever sits at it is cut off. */
  drop(id: string): void
  close(): void
}

const prompt = '$ '
const enter = '\r'
const rubout = '\x7F'

export function openSerialPorts(): SerialPorts {
  const lines = new Map<string, SharedLine>()

  function open(id: string): SharedLine {
    let typed = ''
    const echo = (character: string): string => {
      if (character === enter) {
        typed = ''
        return `\r\n${prompt}`
      }
      if (character === rubout) {
        if (typed === '') return ''
        typed = typed.slice(0, -1)
        return '\b \b'
      }
      if (character < ' ') return ''
      typed += character
      return character
    }
    const line = createSharedLine({
      onTyped(bytes, done) {
        line.say(Buffer.from([...bytes.toString()].map(echo).join('')))
        done()
      },
      onEmpty: () => lines.delete(id),
    })
    lines.set(id, line)
    return line
  }

  const drop = (id: string) => lines.get(id)?.end()
  return {
    join: (id) => (lines.get(id) ?? open(id)).join(),
    drop,
    close() {
      for (const id of [...lines.keys()]) drop(id)
    },
  }
}
