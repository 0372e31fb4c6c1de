/**
 * A string that must not be exposed. It is omitted from JSON (responses, logs, stored jobs) and masked when objects are
 * printed. Only `reveal` returns it.
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
