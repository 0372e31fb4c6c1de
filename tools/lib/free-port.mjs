import { createServer } from 'node:net'

/** Finds a port that is currently free. @param {string} [host] @returns {Promise<number>} */
export const freePort = (host = '127.0.0.1') =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, host, () => {
      const address = server.address()
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      )
    })
  })
