import { expect } from 'chai';
import { NotUnsealable, seal, unseal } from '../../../src/shared/sealed.ts';

describe('Sealed secrets', () => {
  it('come back as they were, and look different every time', () => {
    const text = 'whsec_ñ/+=';
    const first = seal(text, ['one']);
    expect(first).to.not.contain(text);
    expect(first).to.not.equal(seal(text, ['one']));
    expect(unseal(first, ['one'])).to.equal(text);
    expect(unseal(seal('', ['one']), ['one'])).to.equal('');
  });

  it('are sealed with the first secret and opened with any', () => {
    const old = seal('x', ['old']);
    expect(unseal(old, ['new', 'old'])).to.equal('x');
    const fresh = seal('y', ['new', 'old']);
    expect(unseal(fresh, ['new'])).to.equal('y');
    expect(() => unseal(fresh, ['old'])).to.throw(NotUnsealable);
  });

  it('do not open when a single character was changed', () => {
    const sealed = seal('the secret', ['one']);
    const dot = sealed.lastIndexOf('.') + 1;
    for (let at = dot; at < sealed.length - 1; at += 1) {
      const other = sealed[at] === 'A' ? 'B' : 'A';
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
      expect(() => unseal(changed, ['one']), `character ${at}`).to.throw(NotUnsealable);
    }
  });

  it('accept no other text as sealed', () => {
    for (const text of ['', 'plain', 'v1.a', 'v1.a.b', 'v1..', 'v2.a.AAAA']) {
      expect(() => unseal(text, ['one']), text).to.throw(NotUnsealable);
    }
  });
});
