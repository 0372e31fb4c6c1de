import { SaxesParser } from 'saxes'
import { S3Error } from '../errors'
import { createQueue } from '../turns'

/** An element of a document that a client sent: its local name, its text, and what is in it. */
export interface XmlElement {
  name: string
  text: string
  children: XmlElement[]
}

const MOST_DEPTH = 8
const MOST_ELEMENTS = 100_000
/** Of all elements together; the parser looks for names that stand twice. */
const MOST_ATTRIBUTES = 1000

const malformed = () =>
  new S3Error(
    'MalformedXML',
    'The XML you provided was not well-formed or did not validate against our published schema',
  )

/** Reads the parts of a document one by one. Both throw `MalformedXML`. */
interface Reader {
  write(part: string): void
  end(): XmlElement
}

/** For a text: strict, nothing is expanded, repaired or trimmed. */
function readerOf(text: string): Reader {
  // as of version 1.1 references to control characters are read, of which keys may consist; two line ends of 1.1 are letters of keys
  // in the version that clients write, and would be read as another one
  const version = /[\u0085\u2028]/.test(text) ? '1.0' : '1.1'
  const parser = new SaxesParser({ xmlns: true, defaultXMLVersion: version, forceXMLVersion: true })
  const top: XmlElement = { name: '', text: '', children: [] }
  const open = [top]
  let [count, attributes] = [0, 0]
  const refuse = () => {
    throw malformed()
  }
  parser.on('error', refuse)
  parser.on('doctype', refuse)
  parser.on('opentag', ({ local }) => {
    if (++count > MOST_ELEMENTS || open.length > MOST_DEPTH) refuse()
    const element = { name: local, text: '', children: [] }
    open.at(-1)!.children.push(element)
    open.push(element)
  })
  parser.on('attribute', () => {
    if (++attributes > MOST_ATTRIBUTES) refuse()
  })
  parser.on('text', (part) => void (open.at(-1)!.text += part))
  parser.on('cdata', (part) => void (open.at(-1)!.text += part))
  parser.on('closetag', () => void open.pop())
  return {
    write: (part) => void parser.write(part),
    end() {
      parser.close()
      if (top.children.length !== 1) throw malformed()
      return top.children[0]!
    },
  }
}

/** Reads a document of some kilobytes. Throws `MalformedXML`. */
export function readXml(text: string): XmlElement {
  const reader = readerOf(text)
  reader.write(text)
  return reader.end()
}

/** Characters that are read before others have their turn, if it was long. */
const PART = 16 * 1024

/** Reads a document that may be long. Rejects with `MalformedXML`. */
export async function readLongXml(text: string): Promise<XmlElement> {
  const reader = readerOf(text)
  const turn = createQueue()
  for (let at = 0; at < text.length; at += PART) {
    reader.write(text.slice(at, at + PART))
    await turn()
  }
  return reader.end()
}

/** The text of a child; undefined where there is none. Throws where there are several. */
export function childText({ children }: XmlElement, name: string): string | undefined {
  const [found, ...more] = children.filter((it) => it.name === name)
  if (more.length > 0) throw malformed()
  return found?.text
}

/**
 * What is written of an answer: a text or a number, an element with others in it, or the same name again and again. Attributes stand
 * behind the name, as they are written.
 */
export type Written = string | number | boolean | undefined | WrittenElement | readonly (string | WrittenElement)[]
export interface WrittenElement {
  [name: string]: Written
}

const reference = (it: string) => `&#${it.codePointAt(0)};`
// oxlint-disable-next-line no-control-regex -- those are meant
const special = /[<>&"\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff\r]/g
const escape = (text: string) => text.replace(special, reference)

function element(name: string, value: Written): string {
  if (value === undefined) return ''
  if (Array.isArray(value)) return value.map((it: string | WrittenElement) => element(name, it)).join('')
  const [tag] = name.split(' ', 1)
  return `<${name}>${typeof value === 'object' ? writeElements(value as WrittenElement) : escape(String(value))}</${tag}>`
}
/** Elements as they stand in an answer, one after the other. */
export const writeElements = (value: WrittenElement): string =>
  Object.entries(value)
    .map(([name, it]) => element(name, it))
    .join('')

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** An answer of S3. What is undefined is left out; `more` are elements that are written already. */
export const writeXml = (name: string, value: WrittenElement, more = ''): string =>
  `${HEAD}<${name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${writeElements(value)}${more}</${name}>`

/** As some clients read it: without a namespace. */
export const writeBareXml = (name: string, value: WrittenElement): string => HEAD + element(name, value)

/** A refusal, which has no namespace. */
export const writeError = ({ code, message, about }: S3Error, requestId: string, resource: string): string =>
  writeBareXml('Error', { Code: code, Message: message, ...about, Resource: resource, RequestId: requestId })
