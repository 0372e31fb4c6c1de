/** A fake XMLHttpRequest that holds each request until the test answers it. */
export class HeldRequest extends EventTarget {
  static sent: HeldRequest[] = []
  readonly upload = new EventTarget()
  readonly headers: Record<string, string> = {}
  address = ''
  status = 0
  responseText = ''
  responseHeaders: Record<string, string> = { etag: '"0"' }
  body: Blob | undefined
  isAborted = false
  open(verb: string, address: string) {
    this.address = `${verb} ${address}`
  }
  setRequestHeader(name: string, value: string) {
    this.headers[name] = value
  }
  getResponseHeader(name: string) {
    return this.responseHeaders[name] ?? null
  }
  send(body?: Blob) {
    this.body = body
    HeldRequest.sent.push(this)
  }
  abort() {
    this.isAborted = true
    this.dispatchEvent(new Event('abort'))
    this.dispatchEvent(new Event('loadend'))
  }
  move(loaded: number) {
    this.upload.dispatchEvent(Object.assign(new Event('progress'), { loaded }))
  }
  answer(status: number, code = '') {
    this.status = status
    this.responseText = code && `<Error><Code>${code}</Code><Message>no</Message></Error>`
    this.dispatchEvent(new Event('load'))
    this.dispatchEvent(new Event('loadend'))
  }
}
