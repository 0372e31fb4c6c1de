import process from 'node:process'
import { SOCKET_PATH } from '@mainstay/contract/core/events'
import { WebSocket } from 'ws'

/*
 * Many browsers in a process of their own: their sockets sign in, say so, and count what they are told. They speak as little
 * of socket.io as is needed.
 */

export interface Crowd {
  url: string
  tokens: string[]
}
/** What it answers: `signedIn` once; then `told`, each time all of them together have been told that many changes. */
export type FromCrowd = { signedIn: true } | { told: number }

/** Whoever has asked may be gone. */
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
