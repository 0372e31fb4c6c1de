import { SaxesParser } from 'saxes'
import { S3Error } from '../errors'
import { createQueue } from '../turns'

/** An XML element sent by a client, with its local name, text and child elements. */
export interface XmlElement {
  name: string
  text: string
  children: XmlElement[]
}

const MOST_DEPTH = 8
const MOST_ELEMENTS = 100_000
/** Limit for the whole document, because the parser compares attribute names to detect duplicates. */
const MOST_ATTRIBUTES = 1000

const malformed = () =>
  new S3Error(
    'MalformedXML',
    'The XML you provided was not well-formed or did not validate against our published schema',
  )

/** Parses a document piece by piece. Both methods throw `MalformedXML`. */
interface Reader {
  write(part: string): void
  end(): XmlElement
}

/** Creates a strict parser without entity expansion, error recovery or trimming. */
function readerOf(text: string): Reader {
  // XML 1.1 allows references to control characters, which may occur in keys. However, it treats U+0085 and U+2028 as
  // line breaks, so documents that contain them are parsed as XML 1.0, the version that clients use.
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

/** Parses a document of a few kilobytes. Throws `MalformedXML`. */
export function readXml(text: string): XmlElement {
  const reader = readerOf(text)
  reader.write(text)
  return reader.end()
}

/** Number of characters to parse before yielding to other requests. */
const PART = 16 * 1024

/** Parses a document that may be long, without blocking other requests. Rejects with `MalformedXML`. */
export async function readLongXml(text: string): Promise<XmlElement> {
  const reader = readerOf(text)
  const turn = createQueue()
  for (let at = 0; at < text.length; at += PART) {
    reader.write(text.slice(at, at + PART))
    await turn()
  }
  return reader.end()
}

/** Returns the text of a child element, or undefined if there is none. Throws if there is more than one. */
export function childText({ children }: XmlElement, name: string): string | undefined {
  const [found, ...more] = children.filter((it) => it.name === name)
  if (more.length > 0) throw malformed()
  return found?.text
}

/**
 * Content of an element in a response: a value, child elements, or an array that repeats the element. Attributes are
 * given verbatim after the element name.
 */
export type Written = string | number | boolean | undefined | WrittenElement | readonly (string | WrittenElement)[]
export interface WrittenElement {
  [name: string]: Written
}

const reference = (it: string) => `&#${it.codePointAt(0)};`
// oxlint-disable-next-line no-control-regex -- control characters are matched on purpose
const special = /[<>&"\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff\r]/g
const escape = (text: string) => text.replace(special, reference)

function element(name: string, value: Written): string {
  if (value === undefined) return ''
  if (Array.isArray(value)) return value.map((it: string | WrittenElement) => element(name, it)).join('')
  const [tag] = name.split(' ', 1)
  return `<${name}>${typeof value === 'object' ? writeElements(value as WrittenElement) : escape(String(value))}</${tag}>`
}
/** Serialises elements in order. */
export const writeElements = (value: WrittenElement): string =>
  Object.entries(value)
    .map(([name, it]) => element(name, it))
    .join('')

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** Serialises an S3 response. Undefined values are omitted; `more` contains elements that are already serialised. */
export const writeXml = (name: string, value: WrittenElement, more = ''): string =>
  `${HEAD}<${name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${writeElements(value)}${more}</${name}>`

/** Serialises a document without a namespace, which some clients require. */
export const writeBareXml = (name: string, value: WrittenElement): string => HEAD + element(name, value)

/** Serialises an error, which has no namespace. */
export const writeError = ({ code, message, about }: S3Error, requestId: string, resource: string): string =>
  writeBareXml('Error', { Code: code, Message: message, ...about, Resource: resource, RequestId: requestId })
