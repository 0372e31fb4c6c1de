import type { Message, Messages, MessageTree } from './message'

type MessagePart = MessageTree[number]

const accents: Readonly<Record<string, string>> = {
  a: 'á',
  b: 'ƀ',
  c: 'ç',
  d: 'đ',
  e: 'é',
  f: 'ƒ',
  g: 'ğ',
  h: 'ĥ',
  i: 'í',
  j: 'ĵ',
  k: 'ķ',
  l: 'ļ',
  m: 'ɱ',
  n: 'ñ',
  o: 'ö',
  p: 'þ',
  q: 'ɋ',
  r: 'ŕ',
  s: 'š',
  t: 'ţ',
  u: 'ü',
  v: 'ṽ',
  w: 'ŵ',
  x: 'ẋ',
  y: 'ý',
  z: 'ž',
  A: 'Á',
  B: 'Ɓ',
  C: 'Ç',
  D: 'Đ',
  E: 'É',
  F: 'Ƒ',
  G: 'Ğ',
  H: 'Ĥ',
  I: 'Í',
  J: 'Ĵ',
  K: 'Ķ',
  L: 'Ļ',
  M: 'Ṁ',
  N: 'Ñ',
  O: 'Ö',
  P: 'Þ',
  Q: 'Ɋ',
  R: 'Ŕ',
  S: 'Š',
  T: 'Ţ',
  U: 'Ü',
  V: 'Ṽ',
  W: 'Ŵ',
  X: 'Ẋ',
  Y: 'Ý',
  Z: 'Ž',
}

const accented = (text: string) => text.replace(/[a-z]/gi, (letter) => accents[letter] ?? letter)

function lettersIn(message: Message): number {
  if (typeof message === 'string') return message.length
  let letters = 0
  for (const part of message) {
    if ('children' in part) letters += lettersIn(part.children)
    else if ('options' in part) letters += Math.max(...Object.values(part.options).map(({ value }) => lettersIn(value)))
    else letters += part.type === 0 ? part.value.length : 6
  }
  return letters
}

const deepAccented = (part: MessagePart): MessagePart => {
  if ('children' in part) return { ...part, children: part.children.map(deepAccented) }
  if ('options' in part) {
    const options = Object.entries(part.options).map(([key, option]) => [
      key,
      { ...option, value: option.value.map(deepAccented) },
    ])
    return { ...part, options: Object.fromEntries(options) }
  }
  return part.type === 0 ? { ...part, value: accented(part.value) } : part
}

/**
 * `Delete` becomes `[Đéļéţé ~~~]`: the brackets reveal truncation, and the tail makes the text about a third longer.
 */
export function pseudo(message: Message): Message {
  const long = '~'.repeat(Math.max(1, Math.ceil(lettersIn(message) * 0.35) - 1))
  // split into words, because a single long word could not wrap
  const tail = ` ${long.replaceAll(/~{12}(?=~)/g, '$& ')}]`
  if (typeof message === 'string') return `[${accented(message)}${tail}`
  return [{ type: 0, value: '[' }, ...message.map(deepAccented), { type: 0, value: tail }]
}

/** Converts a whole catalogue to the pseudo-language. */
export const pseudoCatalogue = (messages: Messages): Messages =>
  Object.fromEntries(Object.entries(messages).map(([key, message]) => [key, pseudo(message)]))
