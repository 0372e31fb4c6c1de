/**
 * A text that must not be seen: it is left out of JSON (answers, logs, stored jobs) and hidden where objects are
 * printed. Only `reveal` tells it.
 */
export class Secret {
  readonly #text: string
  constructor(text: string) {
    this.#text = text
  }
  reveal(): string {
    return this.#text
  }
  toJSON(): undefined {
    return undefined
  }
  toString(): string {
    return '[secret]'
  }
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[secret]'
  }
}
