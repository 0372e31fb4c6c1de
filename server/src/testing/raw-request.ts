import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/** Sends raw bytes to a server. Returns everything that the server sends until it closes the connection. */
export async function rawRequest(url: string, bytes: string, from = '127.0.0.1'): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), localAddress: from })
  socket.write(bytes)
  return text(socket)
}
