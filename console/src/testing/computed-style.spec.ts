import { expect, it } from 'vitest'
import { fullStyle } from './computed-style'

const page = `
  <header><h1>Title</h1><nav><a href="/">Home</a><button>Menu</button><svg><path></path></svg></nav></header>
  <main hidden><p>Unseen <b>words</b></p></main>
  <section style="visibility: hidden"><i>gone</i><em style="visibility: visible">seen</em></section>
  <div style="display: none"><span>inside</span></div>
  <div style="display: contents"><label>Name <input><input type="hidden"></label></div>
  <dialog>closed</dialog><dialog open>open</dialog><div popover>aside</div>
  <details><summary>More</summary>text</details>
  <table><caption>All</caption><thead><tr><th>Name</th></tr></thead><tbody><tr hidden><td>web</td></tr></tbody></table>
  <ul><li>one</li></ul><template></template><textarea></textarea><select><option>a</option></select>`

it('returns the same styles as jsdom, regardless of the query order', () => {
  document.body.innerHTML = page
  for (const element of document.querySelectorAll('*')) {
    const { display, visibility } = fullStyle(element)
    const style = getComputedStyle(element)
    const told = [style.display, style.visibility, style.getPropertyValue('display'), style.overflowX]
    expect(told, element.outerHTML).toEqual([display, visibility, display, fullStyle(element).overflowX])
  }
})
