import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser'

type Messages = Readonly<Record<string, string>>

/** Returns a message's arguments: `n:plural`, `name:argument`, `b:tag`. */
function argumentsOf(elements: readonly MessageFormatElement[]): string[] {
  return elements.flatMap((element) => {
    switch (element.type) {
      case TYPE.literal:
      case TYPE.pound:
        return []
      case TYPE.tag:
        return [`${element.value}:tag`, ...argumentsOf(element.children)]
      case TYPE.plural:
      case TYPE.select:
        return [
          `${element.value}:${TYPE[element.type]}`,
          ...Object.values(element.options).flatMap(({ value }) => argumentsOf(value)),
        ]
      case TYPE.argument:
      case TYPE.number:
      case TYPE.date:
      case TYPE.time:
        return [`${element.value}:${TYPE[element.type]}`]
    }
  })
}

/** Returns the plural forms for integers up to 200. Forms used only for fractions or millions are optional. */
function countingForms(language: string): Set<string> {
  const rules = new Intl.PluralRules(language)
  return new Set(Array.from({ length: 201 }, (_, count) => rules.select(count)))
}

function missingForms(elements: readonly MessageFormatElement[], forms: ReadonlySet<string>): string[] {
  return elements.flatMap((element) => {
    if (element.type === TYPE.tag) return missingForms(element.children, forms)
    if (element.type !== TYPE.plural && element.type !== TYPE.select) return []
    const below = Object.values(element.options).flatMap(({ value }) => missingForms(value, forms))
    if (element.type === TYPE.select || element.pluralType === 'ordinal') return below
    return [...[...forms].filter((form) => !(form in element.options)), ...below]
  })
}

const asked = (elements: readonly MessageFormatElement[]) => [...new Set(argumentsOf(elements))].sort().join(', ')

/** Compares a catalogue with the English one. Returns one sentence per error. */
export function catalogueFaults(file: string, language: string, messages: Messages, english: Messages): string[] {
  const faults = Object.keys(english)
    .filter((key) => !(key in messages))
    .map((key) => `${file} lacks ${key}`)
  const forms = countingForms(language)

  for (const [key, message] of Object.entries(messages)) {
    const original = english[key]
    if (original === undefined) {
      faults.push(`${file} has ${key}, which English does not have`)
      continue
    }
    if (typeof message !== 'string' || message.trim() === '') {
      faults.push(`${file} has no text for ${key}`)
      continue
    }
    try {
      const elements = parse(message)
      const wanted = asked(parse(original))
      if (asked(elements) !== wanted)
        faults.push(`${file} asks for (${asked(elements)}) in ${key}; English for (${wanted})`)
      const missing = missingForms(elements, forms)
      if (missing.length > 0) faults.push(`${file} lacks the form ${missing.join(', ')} in ${key}`)
    } catch (error) {
      faults.push(`${file} cannot be read at ${key}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return faults
}
