import process from 'node:process'
import { SOCKET_PATH } from '@mainstay/contract/core/events'
import { WebSocket } from 'ws'

/*
 * Many clients in a separate process. They sign in on sockets, report when all are signed in, and count the changes
 * that they receive. They implement only the parts of socket.io that they need.
 */

export interface Crowd {
  url: string
  tokens: string[]
}
/**
 * Messages from the process: `signedIn` once, then `told` whenever all sockets together have received that many
 * changes.
 */
export type FromCrowd = { signedIn: true } | { told: number }

/** The parent process may have exited. */
const tell = (message: FromCrowd) => process.send?.(message, undefined, undefined, () => undefined)
let signedIn = 0
let told = 0

function join({ url, tokens }: Crowd, token: string): void {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${SOCKET_PATH}/?EIO=4&transport=websocket`)
  socket.on('message', (data: Buffer) => {
    const text = data.toString()
    if (text.startsWith('0')) socket.send('40')
    else if (text.startsWith('40'))
      socket.send(`420["login",${JSON.stringify({ token, all_tenants: true, since: null })}]`)
    else if (text === '2') socket.send('3')
    else if (text.startsWith('430')) {
      signedIn += 1
      if (signedIn === tokens.length) tell({ signedIn: true })
    } else if (text.startsWith('42["changes"')) told += (text.match(/"revision":/g) ?? []).length
  })
}

process.on('message', (crowd: Crowd) => {
  for (const token of crowd.tokens) join(crowd, token)
  setInterval(() => tell({ told }), 50)
})
process.on('disconnect', () => process.exit())
