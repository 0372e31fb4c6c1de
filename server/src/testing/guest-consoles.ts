import { Duplex } from 'node:stream'
import { createSharedLine, type SharedLine } from '@mainstay/engines/embedded/shared-line'
import type { TestServer } from './start-server'

const PROMPT = '$ '
const ENTER = '\r'

/** Sends the greeting of a VNC server (RFC 6143), then echoes all bytes. */
function screen(): Duplex {
  const stream: Duplex = new Duplex({
    read: () => undefined,
    write(bytes: Buffer, _, done) {
      stream.push(bytes)
      done()
    },
  })
  stream.push('RFB 003.008\n')
  return stream
}

/** A guest whose terminal echoes the input and answers each line with a prompt. */
function echoing(): SharedLine {
  const line = createSharedLine({
    onTyped(bytes, done) {
      line.say(Buffer.from(bytes.toString().replaceAll(ENTER, `\r\n${PROMPT}`)))
      done()
    },
    onEmpty: () => undefined,
  })
  return line
}

/** Gives simulated virtual machines, which have no consoles of their own, the screen and the terminal above. */
export function fakeConsoles({ tools: { capabilities, ports } }: TestServer): void {
  const terminals = new Map<string, SharedLine>()
  capabilities.compute.console_protocols = ['vnc', 'serial']
  ports.compute.instances.openConsole = async (_scope, id, protocol) => {
    const terminal = terminals.get(id) ?? echoing()
    terminals.set(id, terminal)
    const stream = protocol === 'serial' ? terminal.join() : screen()
    return { stream, close: () => stream.destroy() }
  }
}
