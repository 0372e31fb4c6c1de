/* Scripts that specs run in namespaces: members and clients of load balancers. */

/** Responds to HTTP on 8080, TCP on 7000 and UDP on 9090 with a name. The last line of its output is its PID. */
export const webServer = (name: string) => `
cat >/tmp/web-$$.mjs <<'JS'
import { createServer } from 'node:http'
import { createServer as tcp } from 'node:net'
import { createSocket } from 'node:dgram'
createServer((request, response) => {
  response.setHeader('x-seen', JSON.stringify(request.headers))
  response.statusCode = request.url === '/broken' ? 500 : 200
  response.end('${name}\\n')
}).listen(8080, '::')
tcp((socket) => { socket.on('error', () => 0); socket.once('data', (data) => socket.end('${name} ' + data.toString('latin1').replace(/[^ -~]/g, '.') + '\\n')) }).listen(7000, '::')
const udp = createSocket('udp6').on('message', (data, from) => udp.send('${name}\\n', from.port, from.address))
udp.bind(9090, '::')
JS
setsid '${process.execPath}' /tmp/web-$$.mjs >/dev/null 2>&1 &
for n in $(seq 200); do (: </dev/tcp/127.0.0.1/8080) 2>/dev/null && break; sleep 0.05; done; echo $!`

/** Prints one response per line, or `failed` if there was none. */
export const requests = (url: string, count: number, more = '') =>
  `for n in $(seq ${count}); do curl -s -m 5 ${more} ${url} || echo failed; done`

/** Sends each datagram from a new source port. Prints `silent` if there was no response. */
export const udpAsk = (address: string, port: number, count: number) =>
  `for n in $(seq ${count}); do exec 3<>/dev/udp/${address}/${port}; echo x >&3; timeout 2 dd bs=100 count=1 <&3 2>/dev/null || echo silent; exec 3>&-; done`

/**
 * Sends a request every `everyMs` ms over keep-alive connections until `stopFile` exists. Prints the results as JSON.
 */
export const steadily = (address: string, everyMs: number, stopFile: string) => `'${process.execPath}' -e "
const { request, Agent } = require('node:http'); const { existsSync } = require('node:fs')
const agent = new Agent({ keepAlive: true, maxSockets: 8 }); let good = 0, sent = 0; const bad = []
const one = () => { sent++; request({ host: '${address}', agent, timeout: 5000 }, (r) => { r.resume().on('end', () => r.statusCode === 200 ? good++ : bad.push(r.statusCode)) }).on('error', (e) => bad.push(e.message)).end() }
const timer = setInterval(() => { if (!existsSync('${stopFile}')) return one(); clearInterval(timer); end() }, ${everyMs})
const end = (looks = 400) => good + bad.length < sent && looks > 0 ? setTimeout(end, 50, looks - 1) : process.stdout.write(JSON.stringify({ good, bad, sent }), () => process.exit())"`

/** Counts how often each line occurs. */
export function counted(said: string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const line of said.trim().split('\n')) counts[line] = (counts[line] ?? 0) + 1
  return counts
}

/** Returns the path of the file that `longestSilence` creates after eleven responses. */
export const begunFile = (stopFile: string) => `${stopFile}.begun`

/**
 * Sends requests one by one, each on a new connection, until `stopFile` exists. Prints the longest time without a
 * response, in ms. Does not count the time during which the client itself was not run by a busy machine.
 */
export const longestSilence = (address: string, stopFile: string) => `'${process.execPath}' -e "
const { request } = require('node:http'); const { existsSync, writeFileSync } = require('node:fs'); let last = Date.now(), longest = 0, good = 0, beat = Date.now()
setInterval(() => { const late = Date.now() - beat - 20; if (late > 100) last += late; beat = Date.now() }, 20).unref()
const next = () => { longest = Math.max(longest, Date.now() - last); if (existsSync('${stopFile}')) return process.stdout.write(JSON.stringify({ longest, good })); setTimeout(one, 20) }
const one = () => { const asked = request({ host: '${address}', agent: false, timeout: 400 }, (r) => r.resume().on('end', () => { if (r.statusCode === 200) { longest = Math.max(longest, Date.now() - last); last = Date.now(); if (++good === 11) writeFileSync('${begunFile(stopFile)}', '') } })); asked.on('timeout', () => asked.destroy()).on('error', () => 0).on('close', next).end() }
one()"`

/**
 * Sends requests until `stopFile` exists. Whenever a different server responds, prints a line with the time (ms since
 * 1970) and the server's name.
 */
export const turnsOf = (address: string, stopFile: string) => `'${process.execPath}' -e "
const { request } = require('node:http'); const { existsSync } = require('node:fs'); let last = ''
const one = () => { request({ host: '${address}', agent: false }, (r) => { let name = ''; r.setEncoding('utf8').on('data', (text) => (name += text)).on('end', () => { name = name.trim(); if (name !== last) process.stdout.write(Date.now() + ' ' + name + String.fromCharCode(10)); last = name }) }).on('error', () => 0).on('close', next).end() }
const next = () => existsSync('${stopFile}') || setTimeout(one, 2)
one()"`

/** Sends requests over keep-alive connections for `seconds`. Prints the number of responses per second. */
export const throughput = (
  address: string,
  port: number,
  seconds: number,
  connections: number,
) => `'${process.execPath}' -e "
const { request, Agent } = require('node:http'); const agent = new Agent({ keepAlive: true, maxSockets: ${connections} }); let good = 0; const begun = performance.now()
const one = () => { if (performance.now() - begun > ${seconds * 1000}) return; request({ host: '${address}', port: ${port}, agent }, (r) => r.resume().on('end', () => { good += r.statusCode === 200; one() })).on('error', one).end() }
for (let at = 0; at < ${connections}; at++) one()
setTimeout(() => { process.stdout.write(String(good / ${seconds}), () => process.exit()) }, ${seconds * 1000 + 500})"`

interface HeardAt {
  tcp: number
  udp: number
}

/** Writes every line received over TCP or UDP to a file and acknowledges it. The last line of its output is its PID. */
export const listener = (file: string, { tcp, udp }: HeardAt) => `
cat >'${file}.cjs' <<'JS'
const { appendFileSync, writeFileSync } = require('node:fs')
const heard = (data) => appendFileSync('${file}', data.toString('latin1'))
writeFileSync('${file}', '')
require('node:net').createServer((socket) => socket.on('error', () => 0).once('data', (data) => { heard(data); socket.end('heard') })).listen(${tcp}, '0.0.0.0')
const server = require('node:dgram').createSocket('udp4').on('message', (data, from) => { heard(data); server.send('heard', from.port, from.address) })
server.bind(${udp}, '0.0.0.0')
JS
setsid '${process.execPath}' '${file}.cjs' >/dev/null 2>&1 &
for n in $(seq 200); do (: </dev/tcp/127.0.0.1/${tcp}) 2>/dev/null && break; sleep 0.05; done; echo $!`

export interface Said {
  to: string
  words: string
  times: number
}

/** Sends all lines over TCP and UDP, and waits two seconds for their delivery. */
export const speaker = (all: readonly Said[], { tcp, udp }: HeardAt) => `'${process.execPath}' -e "
const net = require('node:net'); const dgram = require('node:dgram')
for (const { to, words, times } of JSON.parse(process.argv[1])) for (let at = 0; at < times; at++) {
  const line = words + String.fromCharCode(10)
  net.connect(${tcp}, to, function () { this.write(line) }).on('error', () => 0).resume()
  const socket = dgram.createSocket('udp4').on('error', () => 0); socket.send(line, ${udp}, to, () => 0)
}
setTimeout(() => process.exit(), 2000)" '${JSON.stringify(all)}'`
