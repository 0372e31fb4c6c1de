import type { Socket } from 'node:net'

const withinMs = 5000

/**
 * Resolves with the socket once it is connected. If the connection is refused or takes too long, destroys the socket
 * and rejects.
 */
export function connected(socket: Socket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      clearTimeout(timer)
      socket.destroy()
      reject(error)
    }
    const timer = setTimeout(() => fail(new Error('no answer in time')), withinMs)
    socket.once('error', fail)
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.off('error', fail)
      resolve(socket)
    })
  })
}
